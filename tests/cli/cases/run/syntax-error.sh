printf 'print(1);\nlet = ;\n' > s.js
ubiheap run s.js
