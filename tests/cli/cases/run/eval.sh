# Arguments follow; nothing is printed but what the code prints.
ubiheap run -e '1 + 1; console.log(scriptArgs); setTimeout(() => print("later"), 1)' a -x --json
ubiheap run --eval='import * as os from "os"; print(typeof os.open)'
ubiheap run --json -e ''
ubiheap run --census-at exit -e 'globalThis.kept = Array.from({ length: 1000 }, () => new Date())' | grep -c Date
