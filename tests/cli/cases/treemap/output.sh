ubiheap treemap -o map.svg two.fxsnapshot && head -c 38 map.svg && echo && ubiheap treemap -o map.json two.fxsnapshot && head -c 32 map.json
