package org.chainwalletd.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.chainwalletd.store.files.CrashPoint;

/** Crash points at which the tests of a class kill the process, or check the state that a kill there would leave. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Walks {
    CrashPoint[] value();
}
