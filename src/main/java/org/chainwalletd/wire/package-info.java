/** Mapping of records to JSON: member names, and the annotations that decide how a component is read, written and described. */
package org.chainwalletd.wire;
