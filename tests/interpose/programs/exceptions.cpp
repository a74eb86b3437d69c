// SPDX-License-Identifier: MIT
//
// exceptions.cpp: allocates on the way down, throws from the depth, allocates in handlers and destructors; says what
// backtrace() says, as stacks.c does.
#include <cstdio>
#include <execinfo.h>

#include "truth.h"

namespace {

__attribute__((noinline)) void checked(std::size_t size) {
    void *frames[120];
    char line[4096];
    void *p = ::operator new(size);
    int count = backtrace(frames, 120);
    int n = std::snprintf(line, sizeof line, "S %lx %zu", reinterpret_cast<unsigned long>(p), size);
    for (int i = 1; i < count; i++)
        n += std::snprintf(line + n, sizeof line - n, " %lx", reinterpret_cast<unsigned long>(frames[i]));
    n += std::snprintf(line + n, sizeof line - n, "\n");
    truth_write(line, n);
    ::operator delete(p);
}

struct Guard {
    int depth;
    ~Guard() {
        checked(200 + depth);
    }
};

__attribute__((noinline)) void down(int depth, int floor) {
    Guard guard{ depth };
    checked(100 + depth);
    if (depth == floor)
        throw depth;
    down(depth + 1, floor);
    checked(300);
}

__attribute__((noinline)) void catches(int floor) {
    try {
        down(0, floor);
    } catch (int depth) {
        checked(400 + depth);
    }
    checked(500);
}

} // namespace

int main() {
    void *frames[4];
    backtrace(frames, 4);
    truth_begin();
    for (int round = 0; round < 3; round++)
        for (int floor = 0; floor < 12; floor++)
            catches(floor);
    truth_end();
    return 0;
}
