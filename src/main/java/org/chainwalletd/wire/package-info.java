/** The language of records on the wire: member names and the marks that decide how a component is read, written and described. */
package org.chainwalletd.wire;
