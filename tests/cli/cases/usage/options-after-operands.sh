ubiheap nodes two.fxsnapshot -n 1 -c id
