// Whole files in and out, with messages a user can act on.
#pragma once

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace files {

// What is in a file. Folders, devices and what cannot be opened are refused.
inline std::string read(const std::filesystem::path& path) {
    const auto refuse = [&](const std::string& why) { return std::runtime_error("cannot read " + path.string() + ": " + why); };
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) throw refuse("there is no such file");
    if (std::filesystem::is_directory(status)) throw refuse("it is a folder");
    if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_fifo(status)) throw refuse("it is a device");
    errno = 0;
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw refuse(errno ? std::strerror(errno) : "it cannot be opened");
    std::string content(std::istreambuf_iterator<char>(stream), {});
    if (stream.bad()) throw refuse("reading failed");
    return content;
}

// Writes a temporary file and renames it: the file appears whole or not at all.
inline void write(const std::filesystem::path& path, const std::string& start, const char* bytes, std::size_t count) {
    const std::filesystem::path temporary = path.string() + ".part";
    errno = 0;
    std::ofstream stream(temporary, std::ios::binary);
    stream << start;
    stream.write(bytes, static_cast<std::streamsize>(count));
    stream.close();
    const int reason = errno;
    std::error_code error;
    if (stream) std::filesystem::rename(temporary, path, error);
    if (stream && !error) return;
    const std::string why = error ? error.message() : reason ? std::strerror(reason) : "the disk may be full";
    std::filesystem::remove(temporary, error);
    throw std::runtime_error("cannot write " + path.string() + ": " + why);
}

}  // namespace files
