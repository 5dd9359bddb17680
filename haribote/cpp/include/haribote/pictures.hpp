// Pictures and labels as arrays of bytes: IDX (MNIST's files), PGM and PNG.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "inflate.hpp"
#include "npy.hpp"

namespace pictures {

inline unsigned byte(const std::string& file, std::size_t at) {
    if (at >= file.size()) throw std::runtime_error("it is cut off");
    return static_cast<unsigned char>(file[at]);
}

inline std::size_t word(const std::string& file, std::size_t at) {
    return std::size_t{byte(file, at)} << 24 | byte(file, at + 1) << 16 | byte(file, at + 2) << 8 | byte(file, at + 3);
}

// Bytes [sizes...] from `start` to the end of the file.
inline npy::Array grey(const std::string& file, std::size_t start, std::vector<std::size_t> shape) {
    npy::Array array{"|u1", std::move(shape), {}};
    if (start > file.size() || file.size() - start != npy::bytes(array.type, array.shape))
        throw std::runtime_error("it is cut off, or longer than it says");
    array.bytes.assign(file.begin() + static_cast<std::ptrdiff_t>(start), file.end());
    return array;
}

inline bool is_idx(const std::string& file) { return file.compare(0, 3, std::string("\0\0\x08", 3)) == 0; }

inline npy::Array idx(const std::string& file) {
    std::vector<std::size_t> shape;
    for (std::size_t i = 0; i < byte(file, 3); ++i) shape.push_back(word(file, 4 + 4 * i));
    return grey(file, 4 + 4 * shape.size(), shape);
}

inline bool is_pgm(const std::string& file) { return file.compare(0, 2, "P5") == 0 || file.compare(0, 2, "P2") == 0; }

// The next number of a PGM file; a comment reaches from # to the end of its line.
inline std::size_t next(const std::string& file, std::size_t& at) {
    const auto blank = [](unsigned letter) { return letter == ' ' || (letter >= 9 && letter <= 13); };
    while (blank(byte(file, at)) || file[at] == '#')
        if (file[at] == '#') while (byte(file, at) != '\n') ++at;
        else ++at;
    const std::size_t start = at;
    while (at < file.size() && file[at] >= '0' && file[at] <= '9') ++at;
    if (at == start) throw std::runtime_error("it is no PGM file: a number was expected");
    return npy::number(file.substr(start, at - start));
}

inline npy::Array pgm(const std::string& file) {
    std::size_t at = 2;
    const std::size_t width = next(file, at), height = next(file, at), most = next(file, at);
    if (most != 255) throw std::runtime_error("its brightest value must be 255, received " + std::to_string(most));
    if (file[1] == '5') return grey(file, at + 1, {height, width});
    npy::Array array{"|u1", {height, width}, {}};
    const std::size_t count = npy::bytes(array.type, array.shape);
    while (array.bytes.size() < count) {
        const std::size_t value = next(file, at);
        if (value > 255) throw std::runtime_error("it has a value above 255");
        array.bytes.push_back(static_cast<char>(value));
    }
    return array;
}

inline bool is_png(const std::string& file) { return file.compare(0, 8, "\x89PNG\r\n\x1a\n") == 0; }

inline std::uint32_t crc(const std::string& file, std::size_t start, std::size_t count) {
    std::uint32_t value = ~0u;
    for (std::size_t i = start; i < start + count; ++i) {
        value ^= byte(file, i);
        for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
    }
    return ~value;
}

// What a filter of PNG adds to a byte: the neighbour that predicts it best.
inline unsigned predicted(unsigned filter, unsigned left, unsigned up, unsigned corner) {
    if (filter < 3) return filter == 0 ? 0 : filter == 1 ? left : up;
    if (filter == 3) return (left + up) / 2;
    const int p = static_cast<int>(left + up) - static_cast<int>(corner);
    const int a = std::abs(p - static_cast<int>(left)), b = std::abs(p - static_cast<int>(up));
    const int c = std::abs(p - static_cast<int>(corner));
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

// The rows of a PNG without their filters: `channels` bytes per pixel.
inline std::string unfiltered(const std::string& rows, std::size_t width, std::size_t height, std::size_t channels) {
    const std::size_t length = width * channels;
    if (rows.size() != (length + 1) * height) throw std::runtime_error("it does not hold what its size says");
    std::string out;
    for (std::size_t row = 0; row < height; ++row) {
        const unsigned filter = byte(rows, row * (length + 1));
        if (filter > 4) throw std::runtime_error("it has a filter that does not exist");
        for (std::size_t i = 0; i < length; ++i) {
            const unsigned left = i < channels ? 0 : byte(out, row * length + i - channels);
            const unsigned up = row == 0 ? 0 : byte(out, (row - 1) * length + i);
            const unsigned corner = i < channels || row == 0 ? 0 : byte(out, (row - 1) * length + i - channels);
            const unsigned value = byte(rows, row * (length + 1) + 1 + i) + predicted(filter, left, up, corner);
            out.push_back(static_cast<char>(value & 255));
        }
    }
    return out;
}

inline npy::Array png(const std::string& file) {
    std::string packed;
    for (std::size_t at = 8, size; byte(file, at + 7), file.compare(at + 4, 4, "IEND") != 0; at += 12 + size) {
        size = word(file, at);
        if (size > file.size() || word(file, at + 8 + size) != crc(file, at + 4, size + 4))
            throw std::runtime_error("it is damaged: a check sum is wrong");
        if (file.compare(at + 4, 4, "IDAT") == 0) packed += file.substr(at + 8, size);
    }
    const std::size_t width = word(file, 16), height = word(file, 20), kind = byte(file, 25);
    const std::size_t channels = kind == 0 ? 1 : kind == 2 ? 3 : kind == 4 ? 2 : kind == 6 ? 4 : 0;
    if (byte(file, 24) != 8 || byte(file, 28) != 0 || channels == 0)
        throw std::runtime_error("it must have 8 bits per channel, no palette and no interlacing: save it as a grey PNG");
    if (width == 0 || height == 0 || width > 1u << 14 || height > 1u << 14) throw std::runtime_error("its size is no size of a picture");
    const std::string rows = unfiltered(inflate::zlib(packed, (width * channels + 1) * height + 65536), width, height, channels);
    npy::Array array{"|u1", {height, width}, {}};
    for (std::size_t pixel = 0; pixel < width * height; ++pixel) {
        const auto at = [&](std::size_t channel) { return byte(rows, pixel * channels + channel); };
        const unsigned value = channels < 3 ? at(0) : (at(0) * 19595 + at(1) * 38470 + at(2) * 7471 + 32768) >> 16;
        array.bytes.push_back(static_cast<char>(value));
    }
    return array;
}

// An array from any file that we can read; a picture is [height, width] of bytes.
inline npy::Array read(const std::filesystem::path& path) {
    const std::string file = files::read(path);
    try {
        if (npy::is_npy(file)) return npy::parse(file);
        if (is_idx(file)) return idx(file);
        if (is_pgm(file)) return pgm(file);
        if (is_png(file)) return png(file);
    } catch (const std::exception& error) {
        throw std::runtime_error("cannot read " + path.string() + ": " + error.what());
    }
    throw std::runtime_error("cannot read " + path.string() + ": it is none of .npy, IDX, PGM and PNG");
}

}  // namespace pictures
