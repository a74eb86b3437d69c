/* order-server.cpp: a shop's server in small, for the tutorial "What does my C++ server allocate?".
 *
 * Requests are lines on standard input, VISITOR ACTION [ITEM], and answers go to standard output:
 *
 *     ann show 7        what item 7 is
 *     ann order 7       one more of it in the visitor's basket
 *     - invoice         the day's orders as one page
 */
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

struct Item {
    std::string name;
    int cents;
};

/* What a visitor has in the basket, and has looked at. */
class Session {
public:
    explicit Session(const std::string &visitor) : visitor_(visitor) {
        history_.reserve(32);
    }
    void remember(const Item &item) {
        history_.push_back(item.name);
    }
    void add(const Item &item) {
        total_ += item.cents;
    }
    int total() const {
        return total_;
    }

private:
    std::string visitor_;
    std::vector<std::string> history_;
    int total_ = 0;
};

class Shop {
public:
    Shop() {
        for (int i = 0; i < 1000; i++)
            items_.push_back({"item number " + std::to_string(i) + " of the spring catalogue", 100 + i});
    }

    std::string answer(const std::string &request) {
        std::istringstream words(request);
        std::string visitor, action;
        size_t number = 0;
        words >> visitor >> action >> number;
        if (action == "invoice")
            return invoice();
        if (number >= items_.size())
            return "no such item";
        const Item &item = items_[number];
        Session &session = session_of(visitor);
        if (action == "show") {
            session.remember(item);
            return item.name + ", " + price(item.cents);
        }
        session.add(item);
        orders_.push_back(visitor + " ordered " + item.name + " for " + price(item.cents));
        return "ordered; all in all " + price(session.total());
    }

private:
    /* A visitor who comes back finds the basket as it was. Nobody ever leaves. */
    Session &session_of(const std::string &visitor) {
        std::unique_ptr<Session> &session = sessions_[visitor];
        if (!session)
            session = std::make_unique<Session>(visitor);
        return *session;
    }

    static std::string price(int cents) {
        std::ostringstream out;
        out << cents / 100 << "." << cents / 10 % 10 << cents % 10;
        return out.str();
    }

    std::string invoice() {
        std::string page;
        for (const std::string &order : orders_)
            page += order + "\n";
        orders_.clear();
        return "an invoice of " + std::to_string(page.size()) + " bytes";
    }

    std::vector<Item> items_;
    std::vector<std::string> orders_;
    std::unordered_map<std::string, std::unique_ptr<Session>> sessions_;
};

int main() {
    Shop *shop = new Shop; /* for as long as the process lives */
    for (std::string request; std::getline(std::cin, request);)
        std::cout << shop->answer(request) << '\n';
}
