echo 'import { exit } from "std"; setTimeout(() => exit(7), 1)' > s.js
ubiheap run s.js
