ubiheap nodes -s -name -n 4 -c name,id tiny-before.fxsnapshot
