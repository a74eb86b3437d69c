/* throws.cpp: markers in C++: blocks that are left by exceptions, methods, templates. Built by markers_test.py. */
#include <ubiheap/core/marker.h>

#include <stdexcept>
#include <string>
#include <vector>

class Parser {
public:
    __attribute__((noinline)) int parse(int depth) {
        UBI_AUTO_GLOBAL_TIMELINE_MARKER("parse");
        std::string text(100 + depth, 'x');
        if (depth == 0)
            throw std::runtime_error(text);
        return parse(depth - 1) + 1;
    }
};

template <typename T> __attribute__((noinline)) size_t fill(size_t n) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER_LABEL("fill", "with a label");
    return std::vector<T>(n).size();
}

int main() {
    Parser parser;
    for (int i = 0; i < 3; i++) {
        UBI_AUTO_GLOBAL_TIMELINE_MARKER("round");
        try {
            parser.parse(2);
        } catch (const std::exception &) {
            UBI_TIMELINE_TIMESTAMP("caught", nullptr);
        }
    }
    return fill<double>(10) == 10 ? 0 : 1;
}
