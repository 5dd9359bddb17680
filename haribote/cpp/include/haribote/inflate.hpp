// Deflate (RFC 1951) and its zlib frame undone: what PNG files are packed with.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace inflate {

// Bits from the lowest of each byte on. Reading past the end is an error.
struct Bits {
    const std::string& bytes;
    std::size_t at = 0;

    unsigned one() {
        if (at / 8 >= bytes.size()) throw std::runtime_error("its packed data is cut off");
        const unsigned bit = static_cast<unsigned char>(bytes[at / 8]) >> at % 8 & 1u;
        ++at;
        return bit;
    }
    unsigned number(unsigned count) {
        unsigned result = 0;
        for (unsigned i = 0; i < count; ++i) result |= one() << i;
        return result;
    }
};

// A canonical Huffman code, given by the length of each symbol's code: how many codes have each length, and the
// symbols in the order of their codes.
struct Code {
    std::array<unsigned, 16> counts{};
    std::vector<unsigned> symbols;

    explicit Code(const std::vector<unsigned>& lengths) {
        for (unsigned length = 1; length < 16; ++length)
            for (unsigned symbol = 0; symbol < lengths.size(); ++symbol)
                if (lengths[symbol] == length) {
                    ++counts[length];
                    symbols.push_back(symbol);
                }
    }

    unsigned read(Bits& bits) const {
        unsigned code = 0, first = 0, index = 0;
        for (unsigned length = 1; length < 16; ++length) {
            code |= bits.one();
            if (code < first + counts[length]) return symbols[index + code - first];
            index += counts[length];
            first = (first + counts[length]) << 1;
            code <<= 1;
        }
        throw std::runtime_error("its packed data has a code that does not exist");
    }
};

constexpr std::array<unsigned, 29> length_bases{3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<unsigned, 29> length_bits{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                               2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::array<unsigned, 19> code_order{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

// Symbols until the end of the block: bytes, and pairs of a length and a distance back that copy what is there.
inline void block(Bits& bits, const Code& literals, const Code& distances, std::string& out) {
    for (;;) {
        const unsigned symbol = literals.read(bits);
        if (symbol == 256) return;
        if (symbol < 256) {
            out.push_back(static_cast<char>(symbol));
            continue;
        }
        if (symbol > 285) throw std::runtime_error("its packed data has a length that does not exist");
        const unsigned length = length_bases[symbol - 257] + bits.number(length_bits[symbol - 257]);
        const unsigned code = distances.read(bits);
        if (code > 29) throw std::runtime_error("its packed data has a distance that does not exist");
        const unsigned extra = code < 2 ? 0 : code / 2 - 1;
        const std::size_t distance = (code < 2 ? code : (2 + code % 2) << extra) + 1 + bits.number(extra);
        if (distance > out.size()) throw std::runtime_error("its packed data points before its start");
        for (unsigned i = 0; i < length; ++i) out.push_back(out[out.size() - distance]);
    }
}

inline void stored(Bits& bits, std::string& out) {
    bits.at = (bits.at + 7) / 8 * 8;
    const unsigned length = bits.number(16);
    bits.number(16);  // the length once more, inverted
    for (unsigned i = 0; i < length; ++i) out.push_back(static_cast<char>(bits.number(8)));
}

inline void fixed(Bits& bits, std::string& out) {
    std::vector<unsigned> lengths(288, 8);
    for (unsigned symbol = 144; symbol < 280; ++symbol) lengths[symbol] = symbol < 256 ? 9 : 7;
    block(bits, Code(lengths), Code(std::vector<unsigned>(30, 5)), out);
}

inline void dynamic(Bits& bits, std::string& out) {
    const unsigned literals = bits.number(5) + 257, distances = bits.number(5) + 1, count = bits.number(4) + 4;
    std::vector<unsigned> lengths(19, 0), all;
    for (unsigned i = 0; i < count; ++i) lengths[code_order[i]] = bits.number(3);
    const Code code(lengths);
    while (all.size() < literals + distances) {
        const unsigned symbol = code.read(bits);
        if (symbol == 16 && all.empty()) throw std::runtime_error("its packed data repeats nothing");
        const unsigned value = symbol < 16 ? symbol : symbol == 16 ? all.back() : 0;
        const unsigned times = symbol < 16 ? 1 : symbol == 16 ? 3 + bits.number(2) : symbol == 17 ? 3 + bits.number(3) : 11 + bits.number(7);
        all.insert(all.end(), times, value);
    }
    all.resize(literals + distances);
    block(bits, Code({all.begin(), all.begin() + literals}), Code({all.begin() + literals, all.end()}), out);
}

// The content of zlib data, at most `most` bytes and a block.
inline std::string zlib(const std::string& packed, std::size_t most) {
    Bits bits{packed};
    bits.number(16);  // method and window; only one method exists
    std::string out;
    for (bool last = false; !last;) {
        last = bits.one() == 1;
        const unsigned kind = bits.number(2);
        if (kind == 0) stored(bits, out);
        else if (kind == 1) fixed(bits, out);
        else if (kind == 2) dynamic(bits, out);
        else throw std::runtime_error("its packed data has a block of an unknown kind");
        if (out.size() > most) throw std::runtime_error("it holds more than its size says");
    }
    return out;
}

}  // namespace inflate
