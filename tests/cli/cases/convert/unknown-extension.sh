ubiheap convert tiny-before.fxsnapshot copy.txt
