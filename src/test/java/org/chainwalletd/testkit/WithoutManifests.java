package org.chainwalletd.testkit;

import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Prevents Pekko from reading the manifest of each jar whenever a test creates an actor system, to compare the versions of its modules: that is a
 * sixth of the cost of tests with actors. The build pins those versions, and the daemon omits the check too ({@code boot.PekkoSettings}).
 *
 * <p>JUnit creates one instance for each launch ({@code META-INF/services}).
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
