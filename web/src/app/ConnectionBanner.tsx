// SPDX-License-Identifier: MIT
// What is wrong with the connection, and what can be done about it.
import { useState, type FormEvent } from "react";
import { Http } from "../api/http";
import { ServerError } from "../api/errors";
import { enteringAddress } from "../logic/address";
import { useSee } from "../shared/hooks";
import { CONNECTION } from "../store/models";

/** Whether the server of the page refuses the token of an address; of another server the page may not ask that. */
async function isRefused(address: string): Promise<boolean> {
  const { origin, searchParams } = new URL(address);
  if (origin !== location.origin) {
    return false;
  }
  try {
    await new Http("", searchParams.get("token") ?? "").get<"ubiheap.heaps/1">("/api/1/heaps");
    return false;
  } catch (error) {
    return error instanceof ServerError && error.code === 401;
  }
}

/** Takes the address that the new server has printed, and shows there what is shown here. */
function AddressForm() {
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const open = async () => {
    const address = enteringAddress(text, location.origin);
    if (address === null) {
      setFault("This has no token: 32 digits behind ?token=");
    } else if (await isRefused(address)) {
      setFault("The server has another token than this: paste what it has printed last.");
    } else {
      location.assign(address + location.hash);
    }
  };
  const enter = (event: FormEvent) => {
    event.preventDefault();
    void open();
  };
  return (
    <form className="banner-form" onSubmit={enter}>
      <input
        type="text"
        aria-label="The address that ubiheap has printed"
        aria-invalid={fault !== null || undefined}
        placeholder="http://127.0.0.1:…/?token=…"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="button">
        Open
      </button>
      {fault && <span role="alert">{fault}</span>}
    </form>
  );
}

export function ConnectionBanner() {
  const connection = useSee((state) => state.connection);
  if (connection === CONNECTION.LOST) {
    return (
      <p className="banner" role="alert">
        The server does not answer. This page continues as soon as it does; if it was started again at another address, open the one that it
        has printed.
      </p>
    );
  }
  if (connection === CONNECTION.REFUSED) {
    return (
      <div className="banner" role="alert">
        <p>
          The server was started again and has another token: paste the address that it has printed. With ubiheap serve --token-file FILE,
          it has the same each time.
        </p>
        <AddressForm />
      </div>
    );
  }
  return null;
}
