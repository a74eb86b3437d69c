cp tiny-before.fxsnapshot info
ubiheap info | head -n 1
ubiheap ./info | head -n 1
