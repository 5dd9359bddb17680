// A program around a generated step: arrays from files, so many steps, arrays to files.
#pragma once

#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>

#include "npy.hpp"

namespace runner {

using Step = void (*)(const void* const*, void* const*, unsigned char*);
using Shape = std::vector<std::size_t>;

// Where the next step finds an input: a kind, or the number of the output that becomes this input.
struct Next {
    enum Kind { same_value, batch, result } kind;
    std::size_t number;
};
constexpr Next same{Next::same_value, 0}, next_batch{Next::batch, 0};
constexpr Next output(std::size_t number) { return {Next::result, number}; }

struct Tensor {
    std::string name, file, type;
    Shape shape;
    Next next;
    npy::Array array{};

    std::size_t bytes() const {
        std::size_t size = std::stoul(type.substr(2));
        for (const auto length : shape) size *= length;
        return size;
    }
};

struct Program {
    Step step;
    std::size_t arena;
    std::vector<Tensor> inputs{}, outputs{};

    void input(const char* name, const char* file, const char* type, Shape shape, Next next) {
        inputs.push_back({name, file, type, std::move(shape), next});
    }
    void output(const char* name, const char* file, const char* type, Shape shape) {
        outputs.push_back({name, file, type, std::move(shape), same});
    }
};

// Reads one input and checks that it has the step's type and shape, or several batches of it.
inline void load(Tensor& tensor, const std::filesystem::path& folder) {
    tensor.array = npy::read(folder / tensor.file);
    Shape one = tensor.array.shape;
    const bool batches = tensor.next.kind == Next::batch && !one.empty() && one[0] > 0 && one[0] % tensor.shape[0] == 0;
    if (batches) one[0] = tensor.shape[0];
    if (tensor.array.type != tensor.type || one != tensor.shape)
        throw std::runtime_error(tensor.file + " must be " + tensor.type + npy::text(tensor.shape) +
                                 (tensor.next.kind == Next::batch ? " or several such batches" : "") + ", received " +
                                 tensor.array.type + npy::text(tensor.array.shape));
}

// Runs the step `steps` times; batches are taken in order, again and again.
inline void train(Program& program, std::size_t steps) {
    const std::unique_ptr<unsigned char[]> memory(new unsigned char[program.arena + 64]);
    void* arena = memory.get();
    std::size_t space = program.arena + 64;
    arena = std::align(64, program.arena, arena, space);
    for (auto& tensor : program.outputs) tensor.array = {tensor.type, tensor.shape, std::vector<char>(tensor.bytes())};
    for (std::size_t step = 0; step < steps; ++step) {
        std::vector<const void*> inputs;
        std::vector<void*> outputs;
        for (const auto& tensor : program.inputs) {
            const std::size_t batches = tensor.array.bytes.size() / tensor.bytes();
            inputs.push_back(tensor.array.bytes.data() + step % batches * tensor.bytes());
        }
        for (auto& tensor : program.outputs) outputs.push_back(tensor.array.bytes.data());
        program.step(inputs.data(), outputs.data(), static_cast<unsigned char*>(arena));
        for (auto& tensor : program.inputs)
            if (tensor.next.kind == Next::result) tensor.array.bytes = program.outputs[tensor.next.number].array.bytes;
    }
}

// main: INPUTS OUTPUTS [STEPS]. Exit status 0, or 2 with a message.
inline int run(Program& program, int count, char** arguments) {
    const long steps = count == 4 ? std::strtol(arguments[3], nullptr, 10) : 1;
    if (count < 3 || count > 4 || steps < 1) {
        std::cerr << "usage: " << arguments[0] << " INPUTS OUTPUTS [STEPS]\n"
                  << "reads INPUTS/*.npy, runs " << program.inputs.size() << " inputs through STEPS (1) steps, "
                  << "writes OUTPUTS/*.npy\n";
        return 2;
    }
    try {
        for (auto& tensor : program.inputs) load(tensor, arguments[1]);
        train(program, static_cast<std::size_t>(steps));
        std::filesystem::create_directories(arguments[2]);
        for (const auto& tensor : program.outputs) {
            npy::write(std::filesystem::path(arguments[2]) / tensor.file, tensor.array);
            if (tensor.shape.empty() && tensor.type == "<f4")
                std::cout << tensor.name << " " << *reinterpret_cast<const float*>(tensor.array.bytes.data()) << "\n";
        }
        std::cout << steps << " steps, " << program.outputs.size() << " outputs in " << arguments[2] << "\n";
        return 0;
    } catch (const std::exception& error) {
        std::cerr << arguments[0] << ": " << error.what() << "\n";
        return 2;
    }
}

}  // namespace runner
