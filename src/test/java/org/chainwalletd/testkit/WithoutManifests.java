package org.chainwalletd.testkit;

import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Keeps Pekko from reading the manifest of each jar whenever a test makes an actor system, which compares the versions of its modules: a
 * sixth of what tests with actors cost. The build pins those versions, and the daemon does not look either ({@code boot.PekkoSettings}).
 *
 * <p>JUnit makes one for each launch ({@code META-INF/services}).
 */
public final class WithoutManifests implements TestExecutionListener {
    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        Thread tests = Thread.currentThread();
        tests.setContextClassLoader(new Hiding(tests.getContextClassLoader()));
    }

    private static final class Hiding extends ClassLoader {
        Hiding(ClassLoader parent) {
            super(parent);
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return name.equals("META-INF/MANIFEST.MF") ? Collections.emptyEnumeration() : super.getResources(name);
        }
    }
}
