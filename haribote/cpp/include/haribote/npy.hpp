// Reading and writing NumPy's `.npy` files: little-endian, row-major.
#pragma once

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace npy {

struct Array {
    std::string type;  // as NumPy writes it: "<f4"
    std::vector<std::size_t> shape;
    std::vector<char> bytes;
};

inline std::string text(const std::vector<std::size_t>& shape) {
    std::string result = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) result += (i ? ", " : "") + std::to_string(shape[i]);
    return result + "]";
}

// What stands behind `key` in the header, up to one of the characters in `ends`.
inline std::string field(const std::string& header, const std::string& key, const char* ends) {
    const auto at = header.find("'" + key + "':");
    if (at == std::string::npos) throw std::runtime_error("its header has no " + key);
    const auto start = header.find_first_not_of(" '(", at + key.size() + 3);
    const auto end = header.find_first_of(ends, start);
    if (end == std::string::npos) throw std::runtime_error("its header ends too early");
    return header.substr(start, end - start);
}

inline Array parse(const std::string& file) {
    if (file.compare(0, 6, "\x93NUMPY") != 0 || file.size() < 12) throw std::runtime_error("it is not a .npy file");
    const bool old = file[6] == 1;  // version 1 has a length of two bytes, later ones of four
    std::size_t length = 0;
    for (int i = old ? 1 : 3; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(file[8 + i]);
    const std::size_t start = (old ? 10 : 12) + length;
    if (start > file.size()) throw std::runtime_error("it is cut off");
    const std::string header = file.substr(0, start);
    if (field(header, "fortran_order", ",}") != "False") throw std::runtime_error("it is not in row-major order");
    Array array;
    array.type = field(header, "descr", "'");
    const std::string shape = field(header, "shape", ")") + ",";
    for (std::size_t at = 0, comma; (comma = shape.find(',', at)) != std::string::npos; at = comma + 1)
        if (shape.find_first_of("0123456789", at) < comma) array.shape.push_back(std::stoul(shape.substr(at, comma - at)));
    array.bytes.assign(file.begin() + static_cast<std::ptrdiff_t>(start), file.end());
    std::size_t expected = std::stoul(array.type.substr(2));
    for (const auto size : array.shape) expected *= size;
    if (array.bytes.size() != expected) throw std::runtime_error("it is cut off, or longer than its header says");
    return array;
}

inline Array read(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot read " + path.string() + ": there is no such file");
    try {
        return parse(std::string(std::istreambuf_iterator<char>(stream), {}));
    } catch (const std::exception& error) {
        throw std::runtime_error("cannot read " + path.string() + ": " + error.what());
    }
}

// Writes a temporary file and renames it: the file appears whole or not at all.
inline void write(const std::filesystem::path& path, const Array& array) {
    std::string shape;
    for (const auto size : array.shape) shape += std::to_string(size) + ",";
    std::string header = "{'descr': '" + array.type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
    header += '\n';
    const char start[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<char>(header.size() & 255),
                          static_cast<char>(header.size() >> 8)};
    const std::filesystem::path temporary = path.string() + ".part";
    std::ofstream stream(temporary, std::ios::binary);
    stream.write(start, sizeof start) << header;
    stream.write(array.bytes.data(), static_cast<std::streamsize>(array.bytes.size()));
    stream.close();
    if (!stream) throw std::runtime_error("cannot write " + path.string());
    std::filesystem::rename(temporary, path);
}

}  // namespace npy
