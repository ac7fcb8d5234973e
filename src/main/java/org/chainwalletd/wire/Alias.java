package org.chainwalletd.wire;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Alternative names under which a parameter is accepted. A request that uses two names of one parameter is refused. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Alias {
    String[] value();

    /** Whether the alternative names are documented as deprecated. */
    boolean deprecated() default false;
}
