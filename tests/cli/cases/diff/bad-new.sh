ubiheap diff two.fxsnapshot text.txt
