ubiheap nodes -f table -s rawSize -n 8 tiny-before.fxsnapshot
ubiheap nodes -f table -c displayName,id hostile.fxsnapshot
ubiheap nodes --json -f table two.fxsnapshot
