# The program does not begin.
ubiheap record --output none/x.ubirec -- echo begun
