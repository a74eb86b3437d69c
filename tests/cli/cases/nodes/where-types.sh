ubiheap nodes --where 'rawSize > className' tiny-before.fxsnapshot
