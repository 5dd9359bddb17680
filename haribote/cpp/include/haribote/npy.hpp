// Reading and writing NumPy's `.npy` files: little-endian, row-major.
#pragma once

#include <limits>
#include <vector>

#include "files.hpp"

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
    const auto end = start == std::string::npos ? start : header.find_first_of(ends, start);
    if (end == std::string::npos) throw std::runtime_error("its header ends too early");
    return header.substr(start, end - start);
}

// The number that the digits of a text make; other characters are passed over.
inline std::size_t number(const std::string& digits) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 16;
    std::size_t result = 0;
    for (const char digit : digits) {
        if (digit < '0' || digit > '9') continue;
        if (result > most) throw std::runtime_error("its header has a number that is too large");
        result = 10 * result + static_cast<std::size_t>(digit - '0');
    }
    return result;
}

// The bytes of an array of this type and shape.
inline std::size_t bytes(const std::string& type, const std::vector<std::size_t>& shape) {
    std::size_t result = type.size() > 2 ? number(type.substr(2)) : 0;
    if (result == 0) throw std::runtime_error("its elements are of an unknown type: " + type);
    for (const auto size : shape) {
        if (size && result > std::numeric_limits<std::size_t>::max() / size) throw std::runtime_error("its shape is too large");
        result *= size;
    }
    return result;
}

inline std::vector<std::size_t> sizes(const std::string& text) {
    std::vector<std::size_t> result;
    const std::string list = text + ",";
    for (std::size_t at = 0, comma; (comma = list.find(',', at)) != std::string::npos; at = comma + 1)
        if (list.find_first_of("0123456789", at) < comma) result.push_back(number(list.substr(at, comma - at)));
    return result;
}

inline bool is_npy(const std::string& file) { return file.compare(0, 6, "\x93NUMPY") == 0; }

inline Array parse(const std::string& file) {
    if (!is_npy(file) || file.size() < 12) throw std::runtime_error("it is not a .npy file");
    const bool old = file[6] == 1;  // version 1 has a length of two bytes, later ones of four
    std::size_t length = 0;
    for (int i = old ? 1 : 3; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(file[8 + static_cast<std::size_t>(i)]);
    const std::size_t start = (old ? 10 : 12) + length;
    if (start > file.size()) throw std::runtime_error("it is cut off");
    const std::string header = file.substr(0, start);
    if (field(header, "fortran_order", ",}") != "False") throw std::runtime_error("it is not in row-major order");
    Array array{field(header, "descr", "'"), sizes(field(header, "shape", ")")), {}};
    if (file.size() - start != bytes(array.type, array.shape))
        throw std::runtime_error("it is cut off, or longer than its header says");
    array.bytes.assign(file.begin() + static_cast<std::ptrdiff_t>(start), file.end());
    if (array.type == "|b1")
        for (const char value : array.bytes)
            if (value != 0 && value != 1) throw std::runtime_error("its booleans must be 0 or 1");
    return array;
}

inline Array read(const std::filesystem::path& path) {
    const std::string content = files::read(path);
    try {
        return parse(content);
    } catch (const std::exception& error) {
        throw std::runtime_error("cannot read " + path.string() + ": " + error.what());
    }
}

// Writes a file that appears whole or not at all.
inline void write(const std::filesystem::path& path, const Array& array) {
    std::string shape;
    for (const auto size : array.shape) shape += std::to_string(size) + ",";
    std::string header = "{'descr': '" + array.type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
    header += '\n';
    const char start[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<char>(header.size() & 255),
                          static_cast<char>(header.size() >> 8)};
    files::write(path, std::string(start, sizeof start) + header, array.bytes.data(), array.bytes.size());
}

}  // namespace npy
