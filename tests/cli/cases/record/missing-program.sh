ubiheap record no-such-program; echo "exit $?"
ubiheap record ./no-such-program; echo "exit $?"
