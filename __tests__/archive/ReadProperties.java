import java.io.FileInputStream;
import java.io.File;
import java.util.Properties;

/** Prints each pair of each properties file of a folder as UTF-16 units in hex: `FILE KEY VALUE`. */
public class ReadProperties {
    public static void main(String[] args) throws Exception {
        for (File file : new File(args[0]).listFiles()) {
            Properties properties = new Properties();
            try (FileInputStream in = new FileInputStream(file)) {
                properties.load(in);
            }
            for (String key : properties.stringPropertyNames()) {
                System.out.println(file.getName() + " " + hex(key) + " " + hex(properties.getProperty(key)));
            }
        }
    }

    static String hex(String text) {
        StringBuilder hex = new StringBuilder("x");
        for (char unit : text.toCharArray()) hex.append(String.format("%04x", (int) unit));
        return hex.toString();
    }
}
