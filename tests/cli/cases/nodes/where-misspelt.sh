ubiheap nodes --where 'retaind > 1MiB' tiny-before.fxsnapshot
