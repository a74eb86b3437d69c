// SPDX-License-Identifier: MIT
// The documents of the server, as tools/schema_types.py makes them from their schemas.
export type * from "../../../packaging/npm/documents";
