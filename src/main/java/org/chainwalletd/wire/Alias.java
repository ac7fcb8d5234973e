package org.chainwalletd.wire;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Other member names under which a parameter is accepted. Giving two spellings at once is refused. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Alias {
    String[] value();

    /** Whether the other names are shown as deprecated. */
    boolean deprecated() default false;
}
