ubiheap record --output x.ubirec -- sh -c "exit 7" 2> line
