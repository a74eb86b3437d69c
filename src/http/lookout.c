/* SPDX-License-Identifier: MIT
 *
 * lookout.c: a thread that sees what the server's cannot: clients that leave while their connection is suspended, and those that are too
 * slow; see http.h.
 *
 * Locks: an exchange's, and then the lookout's. So the thread takes a reference to an exchange, and wakes it without its lock.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/status.h"
#include "http/http.h"

#define TICK_MS 500
/* How often suspended connections look at their jobs anyway: streams of events show that they are alive. */
#define LOOK_EVERY_MS UINT64_C(15000)

static uint64_t now_ms(void) {
    return ubi_process_clock_ns() / 1000000;
}

/* ---- links ------------------------------------------------------------------------------------------------------------------ */

ubi__http_link *ubi__lookout_add(ubi_http_server *server, int fd) {
    ubi__lookout *l = &server->lookout;
    ubi__http_link *link = UBI_NEW(ubi_allocator_default(), ubi__http_link);
    if (!link)
        return NULL;
    link->fd = fd;
    link->cut_ms = now_ms() + server->idle_seconds * UINT64_C(1000);
    pthread_mutex_lock(&l->lock);
    link->number = ++l->last_number;
    link->next = l->links;
    link->place = &l->links;
    if (link->next)
        link->next->place = &link->next;
    l->links = link;
    pthread_mutex_unlock(&l->lock);
    return link;
}

void ubi__lookout_remove(ubi_http_server *server, ubi__http_link *link) {
    ubi__lookout *l = &server->lookout;
    if (!link)
        return;
    pthread_mutex_lock(&l->lock);
    UBI_ASSERT(!link->suspended);
    *link->place = link->next;
    if (link->next)
        link->next->place = link->place;
    pthread_mutex_unlock(&l->lock);
    UBI_DELETE(ubi_allocator_default(), link);
}

void ubi__lookout_allow(ubi_http_server *server, ubi__http_link *link, uint64_t ms) {
    if (!link)
        return;
    pthread_mutex_lock(&server->lookout.lock);
    link->cut_ms = ms == UINT64_MAX ? UINT64_MAX : now_ms() + ms;
    pthread_mutex_unlock(&server->lookout.lock);
}

void ubi__lookout_allow_more(ubi_http_server *server, ubi__http_link *link, uint64_t ms) {
    if (!link)
        return;
    pthread_mutex_lock(&server->lookout.lock);
    link->cut_ms += link->cut_ms == UINT64_MAX ? 0 : ms;
    pthread_mutex_unlock(&server->lookout.lock);
}

void ubi__lookout_watch(ubi_http_server *server, ubi__http_link *link, ubi__exchange *e) {
    ubi__lookout *l = &server->lookout;
    struct epoll_event event = { .events = EPOLLRDHUP | EPOLLONESHOT };
    if (!link)
        return;
    pthread_mutex_lock(&l->lock);
    link->suspended = e;
    event.data.u64 = link->number;
    if (e)
        (void)epoll_ctl(l->poll_fd, EPOLL_CTL_ADD, link->fd, &event);
    else
        (void)epoll_ctl(l->poll_fd, EPOLL_CTL_DEL, link->fd, NULL);
    pthread_mutex_unlock(&l->lock);
}

/* ---- the thread --------------------------------------------------------------------------------------------------------------- */

/* With the lock: a reference to the exchange that is suspended there, or NULL. */
static ubi__exchange *suspended_ref(const ubi__http_link *link) {
    if (link && link->suspended)
        atomic_fetch_add(&link->suspended->n_refs, 1);
    return link ? link->suspended : NULL;
}

static void client_left(ubi__lookout *l, uint64_t number) {
    pthread_mutex_lock(&l->lock);
    ubi__http_link *link = l->links;
    while (link && link->number != number)
        link = link->next;
    ubi__exchange *e = suspended_ref(link);
    pthread_mutex_unlock(&l->lock);
    if (!e)
        return;
    pthread_mutex_lock(&e->lock);
    e->is_gone = true;
    pthread_mutex_unlock(&e->lock);
    ubi__exchange_wake(e);
    ubi__exchange_unref(e);
}

/* The server's thread sees the end, and closes the connection. */
static void slow_ones_cut(ubi__lookout *l) {
    uint64_t now = now_ms();
    pthread_mutex_lock(&l->lock);
    for (ubi__http_link *link = l->links; link; link = link->next)
        if (link->cut_ms <= now) {
            (void)shutdown(link->fd, SHUT_RDWR);
            link->cut_ms = UINT64_MAX;
        }
    pthread_mutex_unlock(&l->lock);
}

/* Of those with a larger number than `after`, the one with the smallest. */
static ubi__exchange *suspended_next(ubi__lookout *l, uint64_t *after) {
    const ubi__http_link *next = NULL;
    pthread_mutex_lock(&l->lock);
    for (const ubi__http_link *link = l->links; link; link = link->next)
        if (link->suspended && link->number > *after && (!next || link->number < next->number))
            next = link;
    ubi__exchange *e = suspended_ref(next);
    *after = next ? next->number : *after;
    pthread_mutex_unlock(&l->lock);
    return e;
}

static void suspended_wake(ubi__lookout *l) {
    uint64_t after = 0;
    for (ubi__exchange *e; (e = suspended_next(l, &after)) != NULL;) {
        ubi__exchange_wake(e);
        ubi__exchange_unref(e);
    }
}

/* False: it is time to stop. */
static bool lookout_wait(ubi__lookout *l) {
    struct epoll_event events[16];
    int n = epoll_wait(l->poll_fd, events, 16, TICK_MS);
    for (int i = 0; i < n; i++) {
        if (events[i].data.u64 == 0)
            return false;
        client_left(l, events[i].data.u64);
    }
    return true;
}

static void *lookout_thread(void *payload) {
    ubi__lookout *l = payload;
    uint64_t looked_ms = now_ms();
    while (lookout_wait(l)) {
        slow_ones_cut(l);
        if (now_ms() - looked_ms < LOOK_EVERY_MS)
            continue;
        looked_ms = now_ms();
        suspended_wake(l);
    }
    return NULL;
}

/* ---- start and stop -------------------------------------------------------------------------------------------------------------- */

ubi_status ubi__lookout_start(ubi_http_server *server) {
    ubi__lookout *l = &server->lookout;
    struct epoll_event event = { .events = EPOLLIN, .data.u64 = 0 };
    l->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    l->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (l->poll_fd < 0 || l->stop_fd < 0 || epoll_ctl(l->poll_fd, EPOLL_CTL_ADD, l->stop_fd, &event) != 0)
        return ubi__fail_errno(errno, "cannot watch connections");
    int error = pthread_create(&l->thread, NULL, lookout_thread, l);
    l->is_running = error == 0;
    return error == 0 ? UBI_OK : ubi__fail_errno(error, "cannot start a thread");
}

void ubi__lookout_stop(ubi_http_server *server) {
    ubi__lookout *l = &server->lookout;
    if (l->is_running) {
        uint64_t one = 1;
        while (write(l->stop_fd, &one, sizeof one) < 0 && errno == EINTR)
            ;
        pthread_join(l->thread, NULL);
    }
    if (l->poll_fd >= 0)
        close(l->poll_fd);
    if (l->stop_fd >= 0)
        close(l->stop_fd);
    UBI_ASSERT(!l->links);
    pthread_mutex_destroy(&l->lock);
}
