// SPDX-License-Identifier: MIT
// What is wrong with the connection, and what can be done about it.
import { useState, type FormEvent } from "react";
import { enteringAddress } from "../logic/address";
import { useSee } from "../shared/hooks";
import { CONNECTION } from "../store/models";

/** Takes the address that the new server has printed, and shows there what is shown here. */
function AddressForm() {
  const [text, setText] = useState("");
  const [isWrong, setWrong] = useState(false);
  const enter = (event: FormEvent) => {
    event.preventDefault();
    const address = enteringAddress(text, location.origin);
    setWrong(address === null);
    if (address !== null) {
      location.assign(address + location.hash);
    }
  };
  return (
    <form className="banner-form" onSubmit={enter}>
      <input
        type="text"
        aria-label="The address that ubiheap has printed"
        aria-invalid={isWrong || undefined}
        placeholder="http://127.0.0.1:…/?token=…"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="button">
        Open
      </button>
      {isWrong && <span>This has no token: 32 digits behind ?token=</span>}
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
