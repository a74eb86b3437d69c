# The reader takes one line of thousands and leaves: no message, status 0.
{ ubiheap nodes -c id tiny-before.fxsnapshot; echo "exit $?" >&2; } | sed 1q
