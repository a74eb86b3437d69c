ubiheap nodes -s +rawSize -n 4 -c rawSize,id tiny-before.fxsnapshot
