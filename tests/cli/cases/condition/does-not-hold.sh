ubiheap census -b count --fail-on 'bytes > 700KiB' tiny-before.fxsnapshot
