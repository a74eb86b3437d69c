ubiheap census -b count --fail-on "$(printf 'bytes > 1 or %.0s' $(seq 100)) nodes == 1" tiny-before.fxsnapshot
