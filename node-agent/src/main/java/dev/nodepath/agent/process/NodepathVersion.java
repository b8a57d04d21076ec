package dev.nodepath.agent.process;

import picocli.CommandLine.IVersionProvider;

/** The output of {@code nodepath --version}. */
public final class NodepathVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"nodepath " + version()};
    }

    /** The version in the manifest of this class's jar. */
    public static String version() {
        String version = NodepathVersion.class.getPackage().getImplementationVersion();
        return version == null ? "(not packaged)" : version;
    }
}
