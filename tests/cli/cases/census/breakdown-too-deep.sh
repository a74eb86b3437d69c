ubiheap census --breakdown "$(printf '[%.0s' $(seq 65))$(printf ']%.0s' $(seq 65))" two.fxsnapshot
