package org.chainwalletd.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.config.Settings;

/** Creates nodes. Their classes and libraries are loaded with the first node, so that daemons without a cluster load none of them. */
public final class Nodes {
    /** System property with the folder of the packaged daemon, set by the launcher. */
    private static final String HOME = "chainwalletd.home";
    /** Subfolder with the cluster libraries, which are not on the class path. */
    private static final String FOLDER = "lib/cluster";

    private static final String LIBRARY = "org.apache.pekko.cluster.typed.Cluster";
    private static final String PACKAGE = "org.chainwalletd.cluster.node.";
    private static final String NODE = PACKAGE + "PekkoNode";

    private Nodes() {}

    private static final class Loaded {
        static final Class<?> NODE_CLASS = load();

        private static Class<?> load() {
            try {
                return Class.forName(NODE, true, loader());
            } catch (ClassNotFoundException | IOException | LinkageError e) {
                throw missing(e);
            }
        }

        private static ClassLoader loader() throws IOException {
            ClassLoader parent = Nodes.class.getClassLoader();
            try {
                Class.forName(LIBRARY, false, parent);
                return parent;
            } catch (ClassNotFoundException e) {
                ClassLoader clusterLoader = new ClusterClassLoader(jars(), parent);
                try {
                    Class.forName(LIBRARY, false, clusterLoader);
                } catch (ClassNotFoundException missing) {
                    throw missing(missing);
                }
                return clusterLoader;
            }
        }

        private static URL[] jars() throws IOException {
            Path folder = Path.of(System.getProperty(HOME, ".")).resolve(FOLDER);
            List<URL> jars = new ArrayList<>();
            if (Files.isDirectory(folder)) {
                try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.jar")) {
                    for (Path jar : files) {
                        jars.add(jar.toUri().toURL());
                    }
                }
            }
            return jars.toArray(URL[]::new);
        }

        private static IllegalStateException missing(Throwable cause) {
            return new IllegalStateException(
                    "the cluster libraries are missing (" + FOLDER
                            + " beside the daemon's jars): reinstall the daemon, or omit --cluster-bind",
                    cause);
        }
    }

    /**
     * Class loader, open for the life of the process. It also defines the daemon's own classes that use the libraries, because classes defined by
     * its parent do not see them.
     */
    private static final class ClusterClassLoader extends URLClassLoader {
        ClusterClassLoader(URL[] jars, ClassLoader parent) {
            super(jars, parent);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(PACKAGE)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * Checks that nodes can be created.
     *
     * @throws IllegalStateException otherwise; the message says what to do
     */
    public static void require() {
        try {
            Loaded.NODE_CLASS.getName();
        } catch (ExceptionInInitializerError e) {
            if (e.getCause() instanceof IllegalStateException missing) {
                throw missing;
            }
            throw e;
        }
    }

    /**
     * Creates a node that has not joined any other yet. Blocks until it listens.
     *
     * @throws IllegalStateException when it cannot listen
     */
    static Node start(Settings.Cluster settings, Node.Duties duties) {
        try {
            return (Node) Loaded.NODE_CLASS
                    .getConstructor(Settings.Cluster.class, Node.Duties.class)
                    .newInstance(settings, duties);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(String.valueOf(e.getCause().getMessage()), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
