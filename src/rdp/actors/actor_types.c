/* SPDX-License-Identifier: MIT
 *
 * actor_types.c: all types of actors, in the order of the reference page.
 */
#include "rdp/actors/actors.h"

const ubi__rdp_actor_type *const ubi__rdp_actor_types[] = {
    &ubi__rdp_root_type,
    &ubi__rdp_device_type,
    &ubi__rdp_preference_type,
    &ubi__rdp_snapshot_file_type,
    &ubi__rdp_tab_type,
    &ubi__rdp_process_type,
    &ubi__rdp_watcher_type,
    &ubi__rdp_target_configuration_type,
    &ubi__rdp_thread_configuration_type,
    &ubi__rdp_network_parent_type,
    &ubi__rdp_blackboxing_type,
    &ubi__rdp_breakpoint_list_type,
    &ubi__rdp_tab_target_type,
    &ubi__rdp_process_target_type,
    &ubi__rdp_memory_type,
    &ubi__rdp_timeline_type,
    &ubi__rdp_memprof_type,
    &ubi__rdp_console_type,
    &ubi__rdp_object_type,
    &ubi__rdp_property_iterator_type,
    &ubi__rdp_long_string_type,
    &ubi__rdp_symbol_type,
    &ubi__rdp_thread_type,
    NULL,
};
