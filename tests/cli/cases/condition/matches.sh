ubiheap nodes -n 1 -c className -w 'retainedSize > 64KiB' --fail-on 'matches > 1' tiny-before.fxsnapshot
