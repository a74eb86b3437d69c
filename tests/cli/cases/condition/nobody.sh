ubiheap census -b count --fail-on 'count(NoSuchClass) > 0 or bytes(NoSuchClass) > 0' tiny-before.fxsnapshot
