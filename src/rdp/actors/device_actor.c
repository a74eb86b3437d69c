/* SPDX-License-Identifier: MIT
 *
 * device_actor.c: what about:debugging asks about a machine: a description, and preferences.
 */
#include "base/text.h"
#include "rdp/actors/actors.h"

/* ---- device ------------------------------------------------------------------------------------------------------------- */

/*
 * A client warns when the platform's version is not near its own, or its build is later than the client's: so the version is the client's,
 * and the build an old one.
 */
static ubi_status description_get(ubi__rdp_call *call) {
    const ubi__rdp_session *session = ubi__rdp_session_of(ubi__rdp_call_actor(call));
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_object(json, "value");
    ubi__json_member_string(json, "appname", "ubiheap");
    ubi__json_member_string(json, "brandName", "ubiheap");
    ubi__json_member_string(json, "name", "ubiheap");
    ubi__json_member_string(json, "version", UBI_VERSION_STRING);
    ubi__json_member_string(json, "channel", "release");
    ubi__json_member_string(json, "os", "Linux");
    ubi__json_member_string(json, "deviceName", NULL);
    ubi__json_member_bool(json, "canDebugServiceWorkers", true);
    ubi__json_member_string(json, "appbuildid", "20200101000000");
    ubi__json_member_string(json, "platformbuildid", "20200101000000");
    ubi__json_member_string(json, "platformversion", session->version[0] ? session->version : "128.0");
    ubi__json_object_end(json);
    return ubi__rdp_reply_end(call);
}

static const ubi__rdp_field description_replies[] = {
    { "value", UBI__RDP_OBJECT, UBI__RDP_REQUIRED,
      "`brandName`, `version`, `platformversion` (the client's own, so that it does not warn), and more" },
    UBI__RDP_END,
};
static const ubi__rdp_method device_methods[] = {
    { "getDescription", description_get, NULL, description_replies, false, "what about:debugging shows",
      "Firefox, foxdriver" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_device_type = { .name = "device",
                                                   .help = "who the client speaks to",
                                                   .methods = device_methods };

/* ---- preferences -------------------------------------------------------------------------------------------------------- */

/* Without service workers about:debugging says that it is not compatible. */
static ubi_status bool_get(ubi__rdp_call *call) {
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_bool(json, "value", ubi__rdp_argument_is(call, 0, "dom.serviceWorkers.enabled"));
    return ubi__rdp_reply_end(call);
}

static ubi_status text_get(ubi__rdp_call *call) {
    ubi__json_member_string(ubi__rdp_reply_begin(call), "value", "");
    return ubi__rdp_reply_end(call);
}

static ubi_status number_get(ubi__rdp_call *call) {
    ubi__json_member_u64(ubi__rdp_reply_begin(call), "value", 0);
    return ubi__rdp_reply_end(call);
}

static ubi_status object_reply(ubi__rdp_call *call, const char *name) {
    ubi__json *json = ubi__rdp_reply_begin(call);
    ubi__json_member_object(json, name);
    ubi__json_object_end(json);
    return ubi__rdp_reply_end(call);
}

static ubi_status all_get(ubi__rdp_call *call) {
    return object_reply(call, "value");
}

static ubi_status traits_get(ubi__rdp_call *call) {
    return object_reply(call, "traits");
}

static const ubi__rdp_field name_arguments[] = {
    { "value", UBI__RDP_STRING, UBI__RDP_REQUIRED, "the name of a preference" },
    UBI__RDP_END,
};
static const ubi__rdp_field set_arguments[] = {
    { "name", UBI__RDP_STRING, UBI__RDP_REQUIRED, "of a preference" },
    { "value", UBI__RDP_ANY, UBI__RDP_OPTIONAL, "is not kept" },
    UBI__RDP_END,
};
static const ubi__rdp_field bool_replies[] = {
    { "value", UBI__RDP_BOOLEAN, UBI__RDP_REQUIRED, "true of `dom.serviceWorkers.enabled`, else false" },
    UBI__RDP_END,
};
static const ubi__rdp_field text_replies[] = {
    { "value", UBI__RDP_STRING, UBI__RDP_REQUIRED, "empty" },
    UBI__RDP_END,
};
static const ubi__rdp_field number_replies[] = {
    { "value", UBI__RDP_NUMBER, UBI__RDP_REQUIRED, "0" },
    UBI__RDP_END,
};
static const ubi__rdp_field all_replies[] = {
    { "value", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "empty" },
    UBI__RDP_END,
};
static const ubi__rdp_field traits_replies[] = {
    { "traits", UBI__RDP_OBJECT, UBI__RDP_REQUIRED, "empty" },
    UBI__RDP_END,
};

static const ubi__rdp_method preference_methods[] = {
    { "getBoolPref", bool_get, name_arguments, bool_replies, false, "a preference", "Firefox" },
    { "getCharPref", text_get, name_arguments, text_replies, false, "a preference", "" },
    { "getIntPref", number_get, name_arguments, number_replies, false, "a preference", "" },
    { "getAllPrefs", all_get, NULL, all_replies, false, "all of them: none", "" },
    { "getTraits", traits_get, NULL, traits_replies, false, "what else there is: nothing", "" },
    { "setBoolPref", ubi__rdp_reply_empty, set_arguments, NULL, false, "is accepted, and not kept", "" },
    { "setCharPref", ubi__rdp_reply_empty, set_arguments, NULL, false, "is accepted, and not kept", "" },
    { "setIntPref", ubi__rdp_reply_empty, set_arguments, NULL, false, "is accepted, and not kept", "" },
    { "clearUserPref", ubi__rdp_reply_empty, set_arguments, NULL, false, "is accepted", "" },
    UBI__RDP_METHODS_END,
};
const ubi__rdp_actor_type ubi__rdp_preference_type = { .name = "preference",
                                                       .help = "preferences, of which there are none",
                                                       .methods = preference_methods };
