ubiheap watch no-such-program; echo "exit $?"
