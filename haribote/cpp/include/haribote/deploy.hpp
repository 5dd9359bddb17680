// The program around deployed graphs: parameters and data from files, inference or training steps, results to files.
#pragma once

#include <cmath>
#include <iostream>
#include <map>
#include <memory>

#include "pictures.hpp"

namespace deploy {

namespace fs = std::filesystem;
using Function = void (*)(const void* const*, void* const*, unsigned char*);
using Shape = std::vector<std::size_t>;

struct Slot {
    std::string name, file, type;  // of a parameter, the file that holds it; of data "" and of an output its own
    Shape shape;
    std::string updates = "";  // of an output: the parameter whose next value it is

    std::size_t bytes() const { return npy::bytes(type, shape); }
    std::size_t row_bytes() const { return shape.empty() ? bytes() : bytes() / shape[0]; }
    std::string text() const { return name + " " + type + npy::text(shape); }
};

// rows: the first axis of all data and results counts rows that know nothing of each other (of a training step: the
// rows of a batch), so any number of rows may be given.
struct Graph {
    Function function;
    std::size_t arena;
    bool rows;
    std::vector<Slot> inputs{}, outputs{};

    Graph& data(const char* name, const char* type, Shape shape) {
        inputs.push_back({name, "", type, std::move(shape)});
        return *this;
    }
    Graph& parameter(const char* name, const char* file, const char* type, Shape shape) {
        inputs.push_back({name, file, type, std::move(shape)});
        return *this;
    }
    Graph& output(const char* name, const char* file, const char* type, Shape shape, const char* updates = "") {
        outputs.push_back({name, file, type, std::move(shape), updates});
        return *this;
    }
    std::size_t batch() const {
        for (const auto& slot : inputs)
            if (slot.file.empty() && !slot.shape.empty()) return slot.shape[0];
        return 1;
    }
};

// mean, deviation: a picture's bytes p become (p / 255 - mean) / deviation where a graph wants floats.
struct Program {
    double mean = 0, deviation = 1;
    std::map<std::string, Graph> graphs{};
};

using Arrays = std::map<std::string, npy::Array>;

template <class To>
inline std::vector<char> converted(const npy::Array& from, double scale, double offset) {
    std::vector<char> bytes(from.bytes.size() * sizeof(To));
    for (std::size_t i = 0; i < from.bytes.size(); ++i) {
        const To value = static_cast<To>(static_cast<unsigned char>(from.bytes[i]) * scale + offset);
        std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
    return bytes;
}

// Bytes of a picture or label file as what the graph wants; pixels are scaled, labels are not.
inline npy::Array fitted(npy::Array array, const Slot& slot, const Program& program) {
    const bool floats = slot.type == "<f4", longs = slot.type == "<i8", ints = slot.type == "<i4";
    if (array.type != "|u1" || array.type == slot.type || !(floats || longs || ints)) return array;
    const double scale = floats ? 1 / (255 * program.deviation) : 1, offset = floats ? -program.mean / program.deviation : 0;
    array.bytes = floats ? converted<float>(array, scale, offset)
                  : longs ? converted<std::int64_t>(array, scale, offset)
                          : converted<std::int32_t>(array, scale, offset);
    array.type = slot.type;
    return array;
}

// The file's array as rows of the slot. A single picture is one row; the axes of a row may be joined, if it came from
// bytes of an image.
inline npy::Array load(const fs::path& path, const Slot& slot, const Graph& graph, const Program& program) {
    npy::Array array = pictures::read(path);
    const bool image = array.type == "|u1" && slot.type != "|u1";
    array = fitted(std::move(array), slot, program);
    const auto refuse = [&]() {
        const std::string rows = graph.rows ? ", with any number of rows" : "";
        return std::runtime_error(path.string() + " must be " + slot.text() + rows + ", received " + array.type + npy::text(array.shape));
    };
    if (array.type != slot.type) throw refuse();
    if (graph.rows && !slot.shape.empty()) {
        const Shape row(slot.shape.begin() + 1, slot.shape.end());
        const std::size_t size = array.bytes.size(), one = slot.row_bytes();
        const bool whole = !array.shape.empty() && Shape(array.shape.begin() + 1, array.shape.end()) == row;
        const bool picture = image && array.shape.size() == 2 && size == one;
        const bool pictures = image && !array.shape.empty() && size == array.shape[0] * one;
        if (!whole && !picture && !pictures) throw refuse();
        array.shape = slot.shape;
        array.shape[0] = one ? size / one : 0;
        if (array.shape[0] == 0) throw std::runtime_error(path.string() + " has no rows");
    } else if (array.shape != slot.shape) {
        throw refuse();
    }
    return array;
}

// Runs a graph as often as asked; its arrays live here.
class Session {
public:
    Session(const Graph& graph, const Arrays& parameters) : graph_(graph), memory_(new unsigned char[graph.arena + 64]) {
        for (const auto& slot : graph.inputs)
            values_[slot.name] = slot.file.empty() ? std::vector<char>(slot.bytes()) : parameters.at(slot.name).bytes;
        for (const auto& slot : graph.outputs)  // an input may be an output too, and is that already
            values_.emplace(slot.name, std::vector<char>(slot.bytes()));
    }

    // `count` rows of the data from `first` on, the rest of the batch zeros.
    void fill(const Arrays& data, std::size_t first, std::size_t count) {
        for (const auto& slot : graph_.inputs) {
            if (!slot.file.empty()) continue;
            auto& value = values_.at(slot.name);
            const auto& source = data.at(slot.name).bytes;
            const std::size_t row = graph_.rows ? slot.row_bytes() : slot.bytes(), used = (graph_.rows ? count : 1) * row;
            std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(graph_.rows ? first * row : 0), used, value.begin());
            std::fill(value.begin() + static_cast<std::ptrdiff_t>(used), value.end(), char{0});
        }
    }

    // One run; every parameter that it updates is the parameter of the next.
    void run() {
        std::vector<const void*> inputs;
        std::vector<void*> outputs;
        for (const auto& slot : graph_.inputs) inputs.push_back(values_.at(slot.name).data());
        for (const auto& slot : graph_.outputs) outputs.push_back(values_.at(slot.name).data());
        void* arena = memory_.get();
        std::size_t space = graph_.arena + 64;
        graph_.function(inputs.data(), outputs.data(), static_cast<unsigned char*>(std::align(64, graph_.arena, arena, space)));
        for (const auto& slot : graph_.outputs)
            if (!slot.updates.empty()) values_.at(slot.updates) = values_.at(slot.name);
    }

    const std::vector<char>& value(const std::string& name) const { return values_.at(name); }

private:
    const Graph& graph_;
    std::unique_ptr<unsigned char[]> memory_;
    std::map<std::string, std::vector<char>> values_;
};

// What the command line says. files: of each data input, in order.
struct Options {
    std::string graph, program;
    std::map<std::string, std::vector<fs::path>> files{};
    fs::path out{}, parameters{};
    std::size_t steps = 0;
};

struct Usage : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline std::size_t positive(const std::string& text) {
    if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos || npy::number(text) == 0)
        throw Usage("--steps must be a whole number from 1 to 999999999, received " + text);
    return npy::number(text);
}

// Files go to the data input that NAME= says; else to the inputs in order, and several to the only one.
inline void assign(Options& options, const Graph& graph, const std::vector<std::string>& files) {
    std::vector<std::string> names;
    for (const auto& slot : graph.inputs)
        if (slot.file.empty()) names.push_back(slot.name);
    std::size_t next = 0;
    for (const auto& file : files) {
        const auto equals = file.find('=');
        const std::string name = file.substr(0, equals);
        if (equals != std::string::npos && std::find(names.begin(), names.end(), name) != names.end()) {
            options.files[name].push_back(file.substr(equals + 1));
        } else {
            while (next < names.size() && names.size() > 1 && options.files.count(names[next])) ++next;
            if (next == names.size()) throw Usage("there are more files than inputs: " + file);
            options.files[names[next]].push_back(file);
        }
    }
    for (const auto& name : names)
        if (options.files[name].empty()) throw Usage("no file is given for the input " + name);
}

inline Options parsed(const Program& program, const std::vector<std::string>& words) {
    Options options;
    options.program = words.at(0);
    if (words.size() < 2 || !program.graphs.count(words[1])) throw Usage("say what to do first");
    options.graph = words[1];
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    options.parameters = (error ? fs::path(words[0]) : self).parent_path() / "parameters";
    std::vector<std::string> files;
    for (std::size_t i = 2; i < words.size(); ++i) {
        const bool option = words[i] == "-o" || words[i] == "--steps" || words[i] == "--parameters";
        if (option && i + 1 == words.size()) throw Usage(words[i] + " needs a value");
        if (words[i] == "-o") options.out = words[++i];
        else if (words[i] == "--parameters") options.parameters = words[++i];
        else if (words[i] == "--steps") options.steps = positive(words[++i]);
        else if (words[i].size() > 1 && words[i][0] == '-') throw Usage("there is no option " + words[i]);
        else files.push_back(words[i]);
    }
    assign(options, program.graphs.at(options.graph), files);
    if (options.graph == "train" && options.out.empty()) throw Usage("train needs -o DIR for the new parameters");
    return options;
}

inline std::string usage(const Program& program, const std::string& name) {
    std::string text = "usage:";
    for (const auto& [graph, found] : program.graphs) {
        text += " " + name + " " + graph;
        for (const auto& slot : found.inputs)
            if (slot.file.empty()) text += " [" + slot.name + "=]FILE";
        text += graph == "train" ? " -o DIR [--steps N] [--parameters DIR]\n      " : " [-o DIR] [--parameters DIR]\n      ";
    }
    return text + " FILE: .npy, or IDX, PGM or PNG for pictures and labels\n";
}

inline Arrays parameters(const Graph& graph, const fs::path& folder) {
    Arrays found;
    for (const auto& slot : graph.inputs) {
        if (slot.file.empty()) continue;
        found[slot.name] = npy::read(folder / slot.file);
        const auto& array = found[slot.name];
        if (array.type != slot.type || array.shape != slot.shape)
            throw std::runtime_error((folder / slot.file).string() + " must be " + slot.text() + ", received " + array.type + npy::text(array.shape));
    }
    return found;
}

// All data inputs; the files of one are taken one after another.
inline Arrays data(const Program& program, const Options& options) {
    const Graph& graph = program.graphs.at(options.graph);
    Arrays found;
    std::string first;
    for (const auto& slot : graph.inputs) {
        if (!slot.file.empty()) continue;
        for (const auto& path : options.files.at(slot.name)) {
            npy::Array array = load(path, slot, graph, program);
            if (!found.count(slot.name)) {
                found[slot.name] = std::move(array);
                continue;
            }
            if (!graph.rows) throw Usage("the input " + slot.name + " takes one file");
            auto& all = found[slot.name];
            all.bytes.insert(all.bytes.end(), array.bytes.begin(), array.bytes.end());
            all.shape[0] += array.shape[0];
        }
        if (!graph.rows) continue;
        const std::size_t rows = found[slot.name].shape[0];
        if (first.empty()) first = slot.name;
        else if (rows != found[first].shape[0])
            throw std::runtime_error(slot.name + " has " + std::to_string(rows) + " rows, but " + first + " has " + std::to_string(found[first].shape[0]));
    }
    return found;
}

inline std::size_t row_count(const Graph& graph, const Arrays& data) {
    return graph.rows && !data.empty() ? data.begin()->second.shape[0] : graph.batch();
}

// The largest number of each row of a table [rows, classes]; rows are called by their picture's file where there is one
// for each.
inline void print_classes(const npy::Array& table, const std::vector<fs::path>& files) {
    const std::size_t classes = table.shape[1];
    for (std::size_t row = 0; row < table.shape[0]; ++row) {
        std::vector<float> values(classes);
        std::memcpy(values.data(), table.bytes.data() + row * classes * sizeof(float), classes * sizeof(float));
        const auto best = std::max_element(values.begin(), values.end()) - values.begin();
        std::cout << (files.size() == table.shape[0] ? files[row].string() : std::to_string(row)) << ": " << best << "\n";
    }
}

inline void save(const fs::path& folder, const std::map<std::string, npy::Array>& arrays) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw std::runtime_error("cannot make the folder " + folder.string() + ": " + error.message());
    for (const auto& [file, array] : arrays) npy::write(folder / file, array);
    std::cout << arrays.size() << " files in " << folder.string() << "\n";
}

inline void infer(const Program& program, const Options& options) {
    const Graph& graph = program.graphs.at(options.graph);
    const auto& first = graph.outputs.at(0);
    const bool table = first.type == "<f4" && first.shape.size() == 2 && first.shape[1] > 0;
    if (!table && options.out.empty()) throw Usage("-o DIR is needed: the result is no table of classes");
    Session session(graph, parameters(graph, options.parameters));
    const Arrays given = data(program, options);
    const std::size_t rows = row_count(graph, given), batch = std::max<std::size_t>(graph.batch(), 1);
    std::map<std::string, npy::Array> results;
    for (std::size_t start = 0; start < rows; start += batch) {
        const std::size_t count = std::min(batch, rows - start);
        session.fill(given, start, count);
        session.run();
        for (const auto& slot : graph.outputs) {
            const auto& value = session.value(slot.name);
            auto& all = results[slot.file];
            const std::size_t used = graph.rows ? count * slot.row_bytes() : slot.bytes();
            all.bytes.insert(all.bytes.end(), value.begin(), value.begin() + static_cast<std::ptrdiff_t>(used));
            all.type = slot.type, all.shape = slot.shape;
            if (graph.rows) all.shape[0] = start + count;
        }
    }
    const auto& files = options.files.empty() ? std::vector<fs::path>{} : options.files.begin()->second;
    if (table) print_classes(results.at(first.file), files);
    if (!options.out.empty()) save(options.out, results);
}

// Prints the scalars of a step. They must be numbers: else what is learnt is worth nothing.
inline void print_scalars(const Graph& graph, const Session& session, std::size_t step) {
    for (const auto& slot : graph.outputs) {
        if (!slot.shape.empty() || slot.type != "<f4" || !slot.updates.empty()) continue;
        float value;
        std::memcpy(&value, session.value(slot.name).data(), sizeof value);
        std::cout << "step " << step << ": " << slot.name << " " << value << "\n";
        if (!std::isfinite(value))
            throw std::runtime_error(slot.name + " is no finite number after step " + std::to_string(step) +
                                     "; nothing is written. A label may be no class, or the learning rate too high");
    }
}

inline void train(const Program& program, const Options& options) {
    const Graph& graph = program.graphs.at(options.graph);
    Arrays values = parameters(graph, options.parameters);
    Session session(graph, values);
    const Arrays given = data(program, options);
    const std::size_t rows = row_count(graph, given), batches = rows / graph.batch();
    if (batches == 0)
        throw std::runtime_error("a step needs " + std::to_string(graph.batch()) + " rows, received " + std::to_string(rows));
    if (rows % graph.batch()) std::cout << rows % graph.batch() << " rows at the end do not fill a batch and are left out\n";
    for (std::size_t step = 0; step < (options.steps ? options.steps : batches); ++step) {
        session.fill(given, step % batches * graph.batch(), graph.batch());
        session.run();
        print_scalars(graph, session, step + 1);
    }
    std::map<std::string, npy::Array> results;
    for (const auto& slot : graph.inputs)
        if (!slot.file.empty()) results[slot.file] = {slot.type, slot.shape, session.value(slot.name)};
    for (const auto& slot : graph.outputs)
        if (slot.updates.empty()) results[slot.file] = {slot.type, slot.shape, session.value(slot.name)};
    save(options.out, results);
}

// Exit status 0, or 2 with a message.
inline int main(const Program& program, int count, char** arguments) {
    const std::vector<std::string> words(arguments, arguments + count);
    const std::string name = words.empty() ? "run" : words[0];
    try {
        const Options options = parsed(program, words.empty() ? std::vector<std::string>{name} : words);
        (options.graph == "train" ? train : infer)(program, options);
        return 0;
    } catch (const Usage& error) {
        std::cerr << name << ": " << error.what() << "\n" << usage(program, name);
    } catch (const std::bad_alloc&) {
        std::cerr << name << ": there is not enough memory\n";
    } catch (const std::exception& error) {
        std::cerr << name << ": " << error.what() << "\n";
    }
    return 2;
}

}  // namespace deploy
