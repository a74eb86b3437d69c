// SPDX-License-Identifier: MIT
// Much for a compiler to do: instances of many templates.
#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

template <int N> struct Row {
    int id = N;
    std::array<double, N % 7 + 1> values{};
    std::string name = std::to_string(N);
    bool operator<(const Row &other) const { return std::tie(id, name) < std::tie(other.id, other.name); }
};

template <int N> double work() {
    std::map<Row<N>, std::vector<std::shared_ptr<Row<N>>>> rows;
    std::unordered_map<std::string, std::variant<int, double, Row<N>>> by_name;
    std::function<double(const Row<N> &)> weigh = [](const Row<N> &row) { return row.id * 0.5 + row.values[0]; };
    for (int i = 0; i < N; i++) {
        rows[Row<N>{}].push_back(std::make_shared<Row<N>>());
        by_name[std::to_string(i)] = Row<N>{};
    }
    std::vector<Row<N>> sorted;
    for (auto &[row, kept] : rows) sorted.push_back(row);
    std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return b < a; });
    double sum = 0;
    for (auto &[name, value] : by_name)
        sum += std::visit([&](auto &v) -> double {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, Row<N>>) return weigh(v); else return v;
        }, value);
    return sum + sorted.size();
}

template <int... Ns> double all(std::integer_sequence<int, Ns...>) { return (work<Ns>() + ...); }

int main() {
    std::regex words("([a-z]+)-([0-9]+)");
    std::smatch match;
    std::string text = "item-42";
    std::regex_match(text, match, words);
    std::cout << all(std::make_integer_sequence<int, COUNT>{}) << match.size() << '\n';
}
