ubiheap census -b count --fail-on 'bytes > 600KiB' tiny-before.fxsnapshot
