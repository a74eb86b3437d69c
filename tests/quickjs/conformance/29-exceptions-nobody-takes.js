// What a hook throws and no uncaughtExceptionHook takes is reported as the host reports rejected promises.

const g = newGlobal(), dbg = new Debugger(g), error = new Error("nobody wants it"), second = new Error("nor this");
dbg.memory.onGarbageCollection = () => { dbg.memory.onGarbageCollection = undefined; throw error; };
gc();
later(() => {
    const reasons = rejections();
    assertEq(reasons.length, 1);
    assertEq(reasons[0], error);

    dbg.uncaughtExceptionHook = e => { throw second; };
    dbg.memory.onGarbageCollection = () => { dbg.memory.onGarbageCollection = undefined; throw error; };
    gc();
    later(() => {
        const reasons = rejections();
        assertEq(reasons.length, 1);
        assertEq(reasons[0], second);
    });
});
