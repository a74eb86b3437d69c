ubiheap watch -- sh -c "exit 7"
