// SPDX-License-Identifier: MIT
//
// unwind_exceptions.cc: walks of a C++ program before, while and after exceptions fly. Exits with 0 if all stacks are right.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
#include "random_numbers.h"
#include "stack_truth.h"
}

static stack_truth truth;
static size_t n_caught, n_destroyed;

static void check() {
    (void)stack_truth_check(&truth); // mistakes are counted
    __asm__ volatile("" ::: "memory");
}

/** Checks when it goes, also when an exception makes it go. */
struct guard {
    std::string text = "long enough that it is not kept in place";
    ~guard() {
        n_destroyed++;
        check();
    }
};

struct shape {
    virtual ~shape() = default;
    virtual void go_on(unsigned depth) = 0;
};

static void choose(unsigned depth);

struct plain : shape {
    void go_on(unsigned depth) override {
        choose(depth);
        check();
    }
};

struct guarded : shape {
    void go_on(unsigned depth) override {
        guard g;
        choose(depth);
    }
};

struct catching : shape {
    void go_on(unsigned depth) override {
        try {
            choose(depth);
        } catch (const std::runtime_error &) {
            n_caught++;
            check();
            choose(random_below(depth + 1));
        }
    }
};

struct throwing_again : shape {
    void go_on(unsigned depth) override {
        try {
            choose(depth);
        } catch (...) {
            check();
            throw;
        }
    }
};

struct sorting : shape {
    void go_on(unsigned depth) override {
        std::vector<int> numbers = { 3, 1, 2 };
        bool first = true;
        std::sort(numbers.begin(), numbers.end(), [&](int a, int b) {
            if (first)
                choose(depth);
            first = false;
            return a < b;
        });
    }
};

struct wrapping : shape {
    void go_on(unsigned depth) override {
        std::function<void(unsigned)> f = [](unsigned d) { choose(d); };
        f(depth);
        check();
    }
};

static std::unique_ptr<shape> make_shape() {
    switch (random_below(6)) {
    case 0:
        return std::make_unique<plain>();
    case 1:
        return std::make_unique<guarded>();
    case 2:
        return std::make_unique<catching>();
    case 3:
        return std::make_unique<throwing_again>();
    case 4:
        return std::make_unique<sorting>();
    default:
        return std::make_unique<wrapping>();
    }
}

static void choose(unsigned depth) {
    check();
    if (depth == 0) {
        if (random_below(2))
            throw std::runtime_error("from below");
        return;
    }
    make_shape()->go_on(depth - 1);
    check();
}

int main() {
    stack_truth_init(&truth, UBI__UNWIND_DEFAULT_DEPTH);
    random_start(1);
    while (truth.n_checks < 20000) {
        try {
            choose(random_below(25));
        } catch (const std::exception &) {
            n_caught++;
            check();
        }
    }
    std::printf("%zu checks, %zu wrong, %zu exceptions caught, %zu guards gone\n", truth.n_checks, truth.n_wrong,
                n_caught, n_destroyed);
    bool right = truth.n_wrong == 0 && truth.n_failed == 0 && n_caught > 100 && n_destroyed > 100;
    stack_truth_fini(&truth);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
