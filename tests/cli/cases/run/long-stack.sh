# The frames in the middle are left out. A sanitizer's frames are large: its stack holds some hundred.
cat > deep.js <<'END'
function f(n) {
    if (n == 0) throw new Error('deep');
    f(n - 1);
}
f(200);
END
ubiheap run deep.js 2>&1 | sed 's/:[0-9]*)/)/; s/:[0-9]*)/)/'
echo 'function f(n) { if (n) f(n - 1); else console.log(new Error("deep")) } f(40)' | ubiheap run | grep -c .
