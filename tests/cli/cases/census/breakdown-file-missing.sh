ubiheap census -b @nowhere.json two.fxsnapshot
