package org.chainwalletd.wire;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The record whose members a component has on the wire, where its own type does not tell: for JSON that a method has put together. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface DescribedBy {
    Class<? extends Record> value();
}
